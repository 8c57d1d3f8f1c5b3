/** A service with two companies: the attacker, and the victim that measures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import { Insiders } from '../../harness/service/insiders.ts'
import { USUAL_SHAPE } from '../message.ts'
import type { Rig } from '../rig.ts'
import type { ServiceProcess } from '../service/service-process.ts'
import type { Target } from './order.ts'
import { Victim } from './victim.ts'

const DOMAIN = 'abuse.test'

export interface Scene extends AsyncDisposable {
  service: ServiceProcess
  /** Where its metrics are. */
  url: string
  target: Target
  victim: Victim
}

/** `secure`: the service speaks TLS, and so does the other company. */
export async function openScene(rig: Rig, { secure }: { secure: boolean }): Promise<Scene> {
  const metricsPort = await freePort()
  const directory = mkdtempSync(join(rig.choice.parent, 'postroad-abuse-'))
  let abuserCompany = ''
  const { service } = await rig.serve({
    settings: {
      POSTROAD_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      POSTROAD_BOUNCE_LISTEN: 'smtp://127.0.0.1:0',
      POSTROAD_SUBMISSION_LISTEN: `${secure ? 'smtps' : 'smtp'}://127.0.0.1:0`,
      ...(secure && certificateIn(directory)),
    },
    prepare: async (installation) => {
      abuserCompany = (await installation.addTenant(DOMAIN)).companyId
    },
  })
  const { port, from } = service
  const other = { host: `127.0.0.1:${port}`, token: service.token, from, shape: USUAL_SHAPE }
  const victim = new Victim(port, other, { secure })
  const insiders = await Insiders.of(await service.installation.databaseUrl(), abuserCompany)
  const token = await insiders.addKey()
  const people = { companyId: abuserCompany, viewer: await insiders.signIn('viewer') }
  const emails = secure ? { email: '', scheduled: '' } : await sendEmails(`http://127.0.0.1:${port}`, token)
  const target = {
    port,
    submissionPort: service.submissionPort!,
    bouncePort: service.bouncePort!,
    bounceAddress: `abuse@bounces.${DOMAIN}`,
    domain: DOMAIN,
    token,
    ...people,
    ...emails,
  }
  return {
    ...{ service, target, victim, url: `http://127.0.0.1:${metricsPort}` },
    async [Symbol.asyncDispose]() {
      victim.close()
      await insiders[Symbol.asyncDispose]()
      await rig.stop(service)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Settings. */
function certificateIn(directory: string): Record<string, string> {
  const { cert, key } = selfSigned(['localhost', '127.0.0.1'])
  const paths = {
    POSTROAD_TLS_CERT: join(directory, 'cert.pem'),
    POSTROAD_TLS_KEY: join(directory, 'key.pem'),
  }
  writeFileSync(paths.POSTROAD_TLS_CERT, cert)
  writeFileSync(paths.POSTROAD_TLS_KEY, key)
  return paths
}

/** Sends an email with 24 MB of HTML, which is kept after its delivery, and one that waits until tomorrow. */
async function sendEmails(url: string, token: string): Promise<Pick<Target, 'email' | 'scheduled'>> {
  const html = '<p>A line of <a href="https://example.com/?a=b&amp;c=d">HTML</a>.</p>\n'.repeat(360_000)
  const mail = { from: `a@${DOMAIN}`, to: 'abuse@sink.test', subject: 'abuse', text: 't' }
  const send = async (fields: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ ...mail, ...fields })
    const answer = await fetch(`${url}/emails`, { method: 'POST', headers, body })
    return ((await answer.json()) as { id: string }).id
  }
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
  return { email: await send({ html }), scheduled: await send({ scheduled_at }) }
}
