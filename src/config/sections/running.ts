/** Settings of the section "Running": logging, shutdown and the file of settings. */
import { durationWithin } from '../parse/quantity.ts'
import { oneOf } from '../parse/word.ts'
import { setting } from '../setting.ts'

export const RUNNING_SETTINGS = {
  POSTROAD_LOG_LEVEL: setting({
    section: 'Running',
    field: 'logLevel',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    allowed: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    description: 'Lowest level that is logged. Logs go to stdout, as JSON lines unless stdout is a terminal.',
    example: 'debug',
  }),
  POSTROAD_SHUTDOWN_TIMEOUT: setting({
    section: 'Running',
    field: 'shutdownTimeout',
    parse: durationWithin('0s', '1h'),
    default: '30s',
    allowed: '0s to 1h',
    description:
      'Longest time that a stop waits for open HTTP requests, SMTP transactions and deliveries. Deliveries that are not finished by then return to the queue.',
    example: '60s',
  }),
  POSTROAD_CONFIG: setting({
    section: 'Running',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'path of a JSON file with one object, whose names are those of this page',
    description: 'File with further settings. The environment and `.env` take precedence over it.',
    example: '/etc/postroad/postroad.json',
  }),
}
