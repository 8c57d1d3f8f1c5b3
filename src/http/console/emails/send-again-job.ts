/** Checks what is sent again as if it had just come in: in a worker where it is large. */
import { checkSubmission, type Outcome, type Terms } from '../../../intake/check.ts'
import type { Submission } from '../../../intake/submission.ts'

export default function checkAgain({ submission, terms }: { submission: Submission; terms: Terms }): Outcome {
  return checkSubmission(submission, terms)
}
