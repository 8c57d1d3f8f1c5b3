/** The titles of the first steps, and why each matters. */
import type { StepName } from '../../api/start.ts'

export interface StepWords {
  name: StepName
  title: string
  why: string
}

export const OF_COMPANY = {
  domain: {
    name: 'domain',
    title: 'Your domain',
    why: 'Recipients’ servers judge mail by its sending domain.',
  },
  dns: {
    name: 'dns',
    title: 'DNS records',
    why: 'They prove that the domain is yours, and let recipients’ servers verify its signatures.',
  },
  message: {
    name: 'message',
    title: 'Test message',
    why: 'It shows that Postroad accepts your mail, and what becomes of it.',
  },
} as const satisfies Record<string, StepWords>

export const OF_INSTALLATION: readonly StepWords[] = [
  {
    name: 'route',
    title: 'Delivery route',
    why: 'Mail leaves this machine directly to recipients’ servers, or through a relay.',
  },
  {
    name: 'outgoing',
    title: 'Port 25, or the relay',
    why: 'Many networks block outgoing SMTP.',
  },
  {
    name: 'hostname',
    title: 'Reverse DNS (PTR)',
    why: 'Many servers refuse mail from an IP address whose name is missing or does not match.',
  },
  { name: 'https', title: 'HTTPS', why: 'It encrypts the API keys and the mail that applications send.' },
  {
    name: 'backup',
    title: 'Backup',
    why: 'Accepted mail must survive the loss of a disk.',
  },
]
