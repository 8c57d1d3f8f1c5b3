import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import type { App } from '../app.ts'
import { loadSettings } from '../config/load.ts'
import { firstStartText, firstStepsText, signInText } from './banner.ts'
import { command, type JsonOption } from './command.ts'
import { printJsonLine, printLine, printText } from './print.ts'
import { StopSignals } from './stop-signals.ts'

export function addServe(program: Command): void {
  command(program, {
    usage: 'serve',
    description: 'Run the service: the HTTP endpoints, SMTP submission, and delivery.',
    details:
      'Settings come from the environment, from .env in the working directory, and from the file that POSTROAD_CONFIG names. ' +
      'See them all with `postroad settings`.\n\n' +
      'SIGTERM or SIGINT stops it: no new work is started, and open SMTP transactions finish or return to the queue. ' +
      'A second signal ends it at once; accepted mail is not lost.',
    examples: [
      'serve',
      'POSTROAD_SUBMISSION_LISTEN=smtp://127.0.0.1:587 postroad serve',
      'POSTROAD_LISTEN=0.0.0.0:8587 POSTROAD_DELIVERY=direct POSTROAD_HOSTNAME=mail.example.com postroad serve',
    ],
    json: 'print the address, and what the first start created, as one JSON line',
  }).action(serve)
}

async function serve({ json }: JsonOption): Promise<void> {
  const stop = new StopSignals()
  const settings = loadSettings()
  // Loaded modules stay. The young generations would grow while they load, and V8 would not shrink them again.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Imported on use, so that the other commands start without loading the whole service.
  const [{ createLogger }, { startApp }] = await Promise.all([import('../log.ts'), import('../app.ts')])
  const log = createLogger(settings.logLevel)
  stop.tellTo(log)
  let app: App
  try {
    app = await startApp(settings, log, stop.signal)
  } catch (error) {
    if (error !== stop.signal.reason || !stop.signal.aborted) throw error
    stop.ended()
    return
  }
  // The default of V8.
  setFlagsFromString('--semi-space-growth-factor=2')
  const { url, submission, bounces: bounceUrls, firstStart, empty, console, signInLink } = app
  const { urls: submissionUrls } = submission
  const where = {
    url,
    ...(submissionUrls.length > 0 && { submissionUrls }),
    ...(bounceUrls.length > 0 && { bounceUrls }),
  }
  if (json) printJsonLine({ ...where, console: signInLink ?? console, firstStart })
  else if (firstStart) printText(firstStartText({ url, submission, signInLink }, firstStart))
  else if (empty) printText(firstStepsText({ url, signInLink, console }))
  else if (signInLink !== null) printText(signInText(url, signInLink))
  // The log already says this, and other lines should not be mixed into it, unless the log level hides the message.
  else if (!log.isLevelEnabled('info'))
    printLine(
      `Postroad listens on ${[url, ...submissionUrls, ...(console === null ? [] : [console])].join(', ')}`,
    )
  stop.andThen(() => app.close())
}
