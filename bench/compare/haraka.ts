/** Haraka as an outbound server with its DKIM plugin: an installation in a directory of its own. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../harness/free-port.ts'
import { USUAL_SHAPE } from '../message.ts'
import { treeCpu } from '../service/process-usage.ts'
import { Child } from './child.ts'
import {
  listening,
  type RunningSystem,
  rsaKey,
  SELECTOR,
  SENDING_DOMAIN,
  type SystemPlace,
  stopping,
} from './system.ts'

/** A plugin of Haraka that routes all mail to the sink. */
const ROUTE_PLUGIN = (port: number) => `'use strict'
exports.hook_get_mx = function (next) {
  next(OK, { priority: 0, exchange: '127.0.0.1', port: ${port} })
}
`

export interface HarakaChoice {
  /** The directory with `node_modules/Haraka`. */
  packages: string
  /** Worker processes. */
  workers: number
}

export async function startHaraka(
  { parent, cpus, sinkPort }: SystemPlace,
  { packages, workers }: HarakaChoice,
): Promise<RunningSystem> {
  await using started = new AsyncDisposableStack()
  const directory = mkdtempSync(join(parent, 'compare-haraka-'))
  started.defer(() => rmSync(directory, { recursive: true, force: true }))
  const [port, key] = [await freePort(), rsaKey()]
  const config: Record<string, string> = {
    me: 'haraka.test\n',
    plugins: 'relay\ndkim\nroute-to-sink\n',
    'smtp.ini': `listen=127.0.0.1:${port}\nnodes=${workers}\n`,
    'log.ini': '[main]\nlevel=warn\nformat=default\n',
    'relay.ini': '[relay]\nacl=true\nforce_routing=false\n',
    relay_acl_allow: '127.0.0.1/32\n',
    'outbound.ini': 'enable_tls=false\nlocal_mx_ok=true\n',
    'dkim.ini':
      '[sign]\nenabled=true\nheaders=From, Reply-To, Subject, Date, Message-ID, To, Cc, MIME-Version, Content-Type\n' +
      '[canon]\nbody=relaxed\n[verify]\nenabled=false\n',
    [`dkim/${SENDING_DOMAIN}/private`]: key.privateKey,
    [`dkim/${SENDING_DOMAIN}/selector`]: `${SELECTOR}\n`,
    internalcmd_key: 'bench\n',
  }
  for (const name of ['plugins', 'queue', `config/dkim/${SENDING_DOMAIN}`])
    mkdirSync(join(directory, name), { recursive: true })
  for (const [name, text] of Object.entries(config)) writeFileSync(join(directory, 'config', name), text)
  writeFileSync(join(directory, 'plugins', 'route-to-sink.js'), ROUTE_PLUGIN(sinkPort))

  const home = join(packages, 'node_modules', 'Haraka')
  // The limits of the dialogue have to be in this file: those of the package are used.
  copyFileSync(join(home, 'config', 'connection.ini'), join(directory, 'config', 'connection.ini'))
  const haraka = new Child(cpus, [process.execPath, join(home, 'bin', 'haraka'), '-c', directory], {
    cwd: directory,
  })
  started.defer(() => haraka.stop())
  await listening(port, haraka)
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  return {
    name: 'haraka+dkim',
    version: `Haraka ${version}, Node.js ${process.version}`,
    setup: `messages by SMTP without pipelining, because pipelining slows Haraka here; outbound queue with fsync; ${workers} workers; log level warn`,
    port,
    // Haraka writes each reply separately and leaves Nagle's algorithm on: the second reply of a group waits 40 ms for the ACK of the
    // first.
    target: {
      protocol: 'smtp',
      from: `orders@${SENDING_DOMAIN}`,
      shape: USUAL_SHAPE,
      pipelining: false,
    },
    keys: key.keys,
    cpu: () => treeCpu(haraka.pid),
    stop: stopping(started),
  }
}
