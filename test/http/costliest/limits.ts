/** Ms of processor time that a turn of the main thread may take, whatever is asked. */
export const MOST_MS = 50
