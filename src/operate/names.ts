import { OperateError } from './error.ts'

const LONGEST_NAME = 200

/** A name for people, without blanks around it. Throws `invalid`. */
export function checkedName(what: 'company' | 'key', text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name)) return name
  throw new OperateError(
    'invalid',
    `the name of a ${what} has 1 to ${LONGEST_NAME} characters, and no control characters`,
  )
}
