import { useEffect, useState } from 'react'
import type { Checked, Findings } from '../../checks/checks.ts'
import type { Unsupported } from '../../checks/clients.ts'
import type { Answer } from '../../checks/worker.ts'

/** Ms that the checks of one message may take. */
const WITHIN = 15_000

interface Results {
  findings: Findings | null
  /** Undefined: not known yet; null: it cannot be told. */
  unsupported: Unsupported[] | null | undefined
  /** They took too long. */
  stopped: boolean
}

const NOTHING: Results = { findings: null, unsupported: undefined, stopped: false }

/** In a worker, which is ended where it takes too long. */
export function useChecks(message: Checked): Results {
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
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
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
