import { useEffect, useState } from 'react'
import type { CheckedEmail } from '../../checks/check.ts'
import type { Findings } from '../../checks/checks.ts'
import type { Unsupported } from '../../checks/clients.ts'
import type { LocalChecks } from '../../checks/worker.ts'

/** Milliseconds that the checks of one message may take. */
const WITHIN = 15_000

interface CheckResults {
  findings: Findings | null
  /** `undefined` while unknown; `null` if the HTML could not be checked. */
  unsupported: Unsupported[] | null | undefined
  /** The checks took too long, and were stopped. */
  stopped: boolean
}

const NOTHING: CheckResults = { findings: null, unsupported: undefined, stopped: false }

/** Runs the checks in a worker, and ends the worker if the checks take too long. */
export function useChecks(message: CheckedEmail): CheckResults {
  const [results, setResults] = useState(NOTHING)
  const key = JSON.stringify(message)
  useEffect(() => {
    setResults(NOTHING)
    const worker = new Worker(new URL('../../checks/worker.ts', import.meta.url), { type: 'module' })
    const stop = () => {
      worker.terminate()
      setResults((before) => ({ ...before, stopped: true }))
    }
    const timer = window.setTimeout(stop, WITHIN)
    worker.onerror = stop
    worker.onmessage = ({ data }: MessageEvent<LocalChecks>) => {
      if (data.kind === 'findings') setResults((before) => ({ ...before, findings: data.findings }))
      else {
        setResults((before) => ({ ...before, unsupported: data.unsupported }))
        window.clearTimeout(timer)
        worker.terminate()
      }
    }
    worker.postMessage(JSON.parse(key))
    return () => {
      window.clearTimeout(timer)
      worker.terminate()
    }
  }, [key])
  return results
}
