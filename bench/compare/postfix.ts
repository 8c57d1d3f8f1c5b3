/** Postfix with opendkim: private configuration, queue and ports in a temporary directory; the system's own Postfix is not touched. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * The settings for throughput that its TUNING_README and QSHAPE_README name, where they apply to one destination and trusted clients:
 * no delay of the input while the queue is long, as many deliveries at once as we use, sessions kept open between messages. What
 * makes its queue durable stays as it is.
 */
function mainFile(directory: string, smtpPort: number, milterSocket: string, sinkPort: number): string {
  const settings = {
    compatibility_level: '3.6',
    queue_directory: join(directory, 'queue'),
    data_directory: join(directory, 'data'),
    command_directory: '/usr/sbin',
    daemon_directory: '/usr/lib/postfix/sbin',
    shlib_directory: '/usr/lib/postfix',
    meta_directory: '/etc/postfix',
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: join(directory, 'postfix.log'),
    maillog_file_prefixes: directory,
    myhostname: 'postfix.test',
    myorigin: SENDING_DOMAIN,
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    alias_database: '',
    local_recipient_maps: '',
    relayhost: `[127.0.0.1]:${sinkPort}`,
    smtp_tls_security_level: 'none',
    smtpd_tls_security_level: 'none',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtpd_peername_lookup: 'no',
    smtpd_milters: `unix:${milterSocket}`,
    milter_default_action: 'tempfail',
    in_flow_delay: '0',
    initial_destination_concurrency: '20',
    default_destination_concurrency_limit: '20',
    smtp_connection_cache_destinations: `[127.0.0.1]:${sinkPort}`,
    default_process_limit: '100',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  return `# listens on port ${smtpPort}, see master.cf\n${lines.join('\n')}\n`
}

function masterFile(smtpPort: number): string {
  return `127.0.0.1:${smtpPort} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`
}

function dkimFile(directory: string, socket: string): string {
  return `Syslog no
Mode s
Domain ${SENDING_DOMAIN}
Selector ${SELECTOR}
KeyFile ${join(directory, 'dkim.private')}
RequireSafeKeys no
SignatureAlgorithm rsa-sha256
Canonicalization relaxed/relaxed
OversignHeaders From
Socket local:${socket}
UMask 000
Background no
`
}

export async function startPostfix({ parent, cpus, sinkPort }: SystemPlace): Promise<RunningSystem> {
  if (process.getuid?.() !== 0)
    throw new Error('Postfix is started as root only: run as root, or leave it out by --systems')
  await using started = new AsyncDisposableStack()
  const directory = mkdtempSync(join(parent, 'compare-postfix-'))
  started.defer(() => rmSync(directory, { recursive: true, force: true }))
  // Postfix's processes run as the user postfix, and need access to the directory.
  chmodSync(directory, 0o755)
  const config = join(directory, 'etc')
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(directory, name))
  execFileSync('chown', ['postfix', join(directory, 'data')])
  const [smtpPort, key] = [await freePort(), rsaKey()]
  // A local socket, as in Debian's setup. Over TCP, delayed ACKs would halve the rate.
  const milterSocket = join(directory, 'opendkim.sock')
  writeFileSync(join(config, 'main.cf'), mainFile(directory, smtpPort, milterSocket, sinkPort))
  writeFileSync(join(config, 'master.cf'), masterFile(smtpPort))
  writeFileSync(join(directory, 'dkim.private'), key.privateKey, { mode: 0o600 })
  writeFileSync(join(directory, 'opendkim.conf'), dkimFile(directory, milterSocket))

  const dkim = new Child(cpus, ['opendkim', '-f', '-x', join(directory, 'opendkim.conf')], { cwd: directory })
  started.defer(() => dkim.stop())
  const postfix = new Child(cpus, ['postfix', '-c', config, 'start-fg'], { cwd: directory })
  started.defer(async () => {
    if (postfix.alive) execFileSync('postfix', ['-c', config, 'stop'], { stdio: 'ignore' })
    await postfix.stop()
  })
  await listening(milterSocket, dkim)
  await listening(smtpPort, postfix, () => logOf(directory))
  const version = execFileSync('postconf', ['-c', config, '-h', 'mail_version'], { encoding: 'utf8' }).trim()
  const dkimVersion = /v([\d.]+)/.exec(execFileSync('opendkim', ['-V'], { encoding: 'utf8' }))?.[1] ?? ''
  return {
    name: 'postfix+opendkim',
    version: `Postfix ${version}, opendkim ${dkimVersion}`,
    setup:
      'messages by SMTP; queue with fsync; in_flow_delay=0, 20 deliveries at once from the start, connection cache, 100 processes; ' +
      'opendkim as milter over a local socket',
    port: smtpPort,
    target: { protocol: 'smtp', from: `orders@${SENDING_DOMAIN}`, shape: USUAL_SHAPE },
    keys: key.keys,
    cpu: () => treeCpu(postfix.pid) + treeCpu(dkim.pid),
    stop: stopping(started),
  }
}

function logOf(directory: string): string {
  try {
    return readFileSync(join(directory, 'postfix.log'), 'utf8').slice(-4_000)
  } catch {
    return ''
  }
}
