/**
 * Runs the checks in a worker: a message may take long to check, and the page ends a worker that takes too
 * long.
 */
import type { CheckedEmail } from './check.ts'
import { checkMessage, type Findings } from './checks.ts'
import { CLIENTS, type Unsupported, unsupportedIn } from './clients.ts'

export type LocalChecks =
  | { kind: 'findings'; findings: Findings }
  /** `null` if the HTML could not be parsed or is too large. */
  | { kind: 'unsupported'; unsupported: Unsupported[] | null }

/** The most characters of HTML that are compared with the data of mail programs. */
const LONGEST = 256 * 1024

const answer = (text: LocalChecks) => self.postMessage(text)

self.onmessage = ({ data }: MessageEvent<CheckedEmail>) => {
  answer({ kind: 'findings', findings: checkMessage(data) })
  void unsupportedOf(data.html).then((unsupported) => answer({ kind: 'unsupported', unsupported }))
}

/** The data of mail programs is large, so findings that need none of the data are posted first. */
async function unsupportedOf(html: string | null): Promise<Unsupported[] | null> {
  if (html === null) return []
  if (html.length > LONGEST) return null
  try {
    const { doIUseEmail } = await import('@jsx-email/doiuse-email')
    const result = doIUseEmail(html, { emailClients: CLIENTS })
    return unsupportedIn(result.success ? [] : result.errors)
  } catch {
    return null
  }
}
