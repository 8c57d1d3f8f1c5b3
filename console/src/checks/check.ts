/** A message that is checked, and one finding about it. */

/** `bad`: does harm. `poor`: may do harm. `good`: checked, and right. */
export type Grade = 'bad' | 'poor' | 'good'

export interface Check {
  id: string
  grade: Grade
  what: string
  why: string
  /** Empty if there is nothing to do. */
  todo: string
}

export interface CheckedEmail {
  subject: string
  /** The addresses in From, without display names. */
  from: string
  html: string | null
  text: string | null
  /** Octets of the whole message. */
  size: number
  fields: readonly (readonly string[])[]
  /** The `d=` of each DKIM signature. */
  signedBy: readonly string[]
}
