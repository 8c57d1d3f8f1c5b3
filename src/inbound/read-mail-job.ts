/** Reads a mail in a worker. */
import { readMail } from './read-mail.ts'

export default readMail
