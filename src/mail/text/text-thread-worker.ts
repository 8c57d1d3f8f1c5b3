/** What runs in the thread of `TextThread`. */
export { textFromHtml as default } from './text-from-html.ts'
