/** What comes of handing in a message, whichever way. */
export interface Answer {
  /** Of HTTP, or the code of the reply. */
  status: number
  body: string
  accepted: boolean
  /** The same may be handed in again. */
  temporary: boolean
}

/** `never`: nobody can have accepted it. `lost`: nobody knows what became of it. */
export type Outcome = Answer | 'never' | 'lost'

/** A client's patience for one answer, in ms. */
export const ANSWER_MS = 20_000
