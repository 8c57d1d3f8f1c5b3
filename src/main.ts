import { run } from './cli/main.ts'

await run(process.argv.slice(2))
