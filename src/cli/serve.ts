import type { Command } from 'commander'
import { loadSettings } from '../config/load.ts'
import type { Logger } from '../log.ts'
import { firstStartText, firstStepsText } from './banner.ts'
import { command, type JsonOption } from './command.ts'
import { printJsonLine, printLine, printText } from './print.ts'

/**
 * Signals that follow the first within this many milliseconds are the same stop, told twice: a terminal and npm both
 * pass it on.
 */
const SAME_STOP = 1000

export function addServe(program: Command): void {
  command(program, {
    usage: 'serve',
    description: 'Run the service: the HTTP endpoints, SMTP submission where it is set up, and the delivery.',
    details:
      'Settings come from the environment, from .env in the working directory, and from the file POSTROAD_CONFIG names. ' +
      'See them all with `postroad settings`.\n\n' +
      'SIGTERM or SIGINT stop it: nothing new is begun, open SMTP transactions finish or are given back to the queue. ' +
      'A second signal ends it at once; that loses nothing that was accepted.',
    examples: [
      'serve',
      'POSTROAD_SUBMISSION_LISTEN=smtp://127.0.0.1:587 postroad serve',
      'POSTROAD_LISTEN=0.0.0.0:8587 POSTROAD_DELIVERY=direct POSTROAD_HOSTNAME=mail.example.com postroad serve',
    ],
    json: 'print address, and what the first start made up, as one JSON line',
  }).action(serve)
}

async function serve({ json }: JsonOption): Promise<void> {
  const settings = loadSettings()
  // Loaded here, so that the other commands start without the whole service.
  const [{ createLogger }, { startApp }] = await Promise.all([import('../log.ts'), import('../app.ts')])
  const log = createLogger(settings.logLevel)
  const app = await startApp(settings, log)
  stopOnSignal(log, () => app.close())
  const { url, submissionUrls, firstStart, empty } = app
  if (json) printJsonLine({ url, ...(submissionUrls.length > 0 && { submissionUrls }), firstStart })
  else if (firstStart) printText(firstStartText(url, firstStart))
  else if (empty) printText(firstStepsText(url))
  // Else the log says it, in whose lines nothing else should stand; unless its level hides that.
  else if (!log.isLevelEnabled('info'))
    printLine(`Postroad listens on ${[url, ...submissionUrls].join(', ')}`)
}

function stopOnSignal(log: Logger, close: () => Promise<void>): void {
  let stoppingSince: number | null = null
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now()
    if (stoppingSince !== null) {
      if (now - stoppingSince < SAME_STOP) return
      log.warn({ signal }, 'ended at once by a second signal')
      process.exit(1)
    }
    stoppingSince = now
    log.info({ signal }, 'stopping')
    close().then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
