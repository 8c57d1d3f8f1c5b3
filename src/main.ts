import { setFlagsFromString } from 'node:v8'
import { run } from './cli/main.ts'

// Every thread has a heap of its own. Those that are started from here on hold little at a time: a small young
// generation and an early first collection of the old one cost them no speed, and many threads would otherwise hold
// hundreds of megabytes of nothing. In MB; see bin/postroad for this one's.
setFlagsFromString('--max-semi-space-size=4')
setFlagsFromString('--initial-old-space-size=16')

await run(process.argv.slice(2))
