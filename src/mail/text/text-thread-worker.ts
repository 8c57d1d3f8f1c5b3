/** What runs in the thread of `TextThread`. */
import { textFromHtml } from './text-from-html.ts'

export default (htmls: string[]): string[] => htmls.map(textFromHtml)
