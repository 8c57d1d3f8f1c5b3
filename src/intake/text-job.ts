/** Text from HTML, in a worker. */
export { textFromHtml as default } from '../mail/text/text-from-html.ts'
