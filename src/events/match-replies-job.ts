/** Finds words in the answers of servers about emails, in a worker. */
export { matchReplies as default } from './reply-match.ts'
