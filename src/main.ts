import { setFlagsFromString } from 'node:v8'
import { run } from './cli/main.ts'

// Every thread has its own heap. The threads started from here on hold little memory at a time: a small young
// generation and an early first collection of the old generation do not slow them down, and without these limits many
// threads would hold hundreds of megabytes for nothing. In MB; bin/postroad sets those of this thread.
setFlagsFromString('--max-semi-space-size=4')
setFlagsFromString('--initial-old-space-size=16')

await run(process.argv.slice(2))
