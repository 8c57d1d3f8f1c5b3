/** Converts HTML to text in a worker. */
export { textFromHtml as default } from '../mail/text/text-from-html.ts'
