/** Finds words in the texts of emails, in a worker. */
export { matchTexts as default } from './text-match.ts'
