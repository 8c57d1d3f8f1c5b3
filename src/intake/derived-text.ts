/** The text part of a message that has only HTML: derived when it is accepted, and stored. */
import { textFromHtml } from '../mail/text/text-from-html.ts'
import { htmlWeight } from '../mail/text/weight.ts'
import { WorkerDied } from '../workers/error.ts'
import { jobAt } from '../workers/job.ts'
import type { Workers } from '../workers/workers.ts'
import type { Submission } from './submission.ts'

/** Weight up to which HTML is converted in place: that takes no longer than handing it to a worker would. */
const LIGHT = 8 * 1024

const job = jobAt<string, string>(new URL('./text-job.ts', import.meta.url))

/** Whether the text must be derived: the submission has HTML and no `text`. */
export function wantsText({ html, text, raw }: Submission): boolean {
  return raw === undefined && text === undefined && html !== undefined && html !== ''
}

/** Fills in the text of the submission. */
export function deriveHere(submission: Submission): void {
  if (wantsText(submission)) submission.text = textFromHtml(submission.html!)
}

/**
 * The text of HTML: at once when it is light, otherwise from a worker. A worker that dies costs the message
 * only its text part: `onDeath` gets the reason, and the text is empty. Rejects with WorkersBusy.
 */
export function derivedText(
  html: string,
  workers: Workers,
  company: string,
  onDeath: (error: WorkerDied) => void,
): string | Promise<string> {
  const weight = htmlWeight(html)
  if (weight <= LIGHT) return textFromHtml(html)
  return workers.run(job, html, { company, weight }).catch((error: unknown) => {
    if (!(error instanceof WorkerDied)) throw error
    onDeath(error)
    return ''
  })
}
