/**
 * Webhooks as this dialect presents them: for each event type ("word") a list of URLs. The service stores a webhook for
 * each URL, with its words; the command line and the console may add several with one URL.
 */
import type { SendingDomain } from '../../../accounts/account.ts'
import { webhookWords, wordsOfTypes } from '../../../events/notices/types.ts'
import type { Operation } from '../../../operate/verb.ts'
import { publicWebhookUrl } from '../../../operate/webhook-url.ts'
import { addWebhook, listWebhooks, removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import type { Webhook } from '../../../store/store.ts'

export const WORDS = webhookWords('form')

export interface FormWebhook {
  id: string
  url: string
  words: string[]
}

/** The webhooks of a domain, without those of the whole company; null: those of the whole company. */
export async function webhooksOf(op: Operation, domainId: string | null): Promise<Webhook[]> {
  const all = await listWebhooks(op, {})
  return all
    .map(({ webhook }) => webhook)
    .filter((webhook) => webhook.domainId === domainId && webhook.dialect === 'form')
}

export function formWebhookOf({ id, url, types }: Webhook): FormWebhook {
  return { id, url, words: wordsOfTypes('form', types) }
}

/** The URLs of each word that has any. */
export function byWord(webhooks: readonly FormWebhook[]): Record<string, { urls: string[] }> {
  const all = WORDS.map((word) => [word, { urls: urlsOf(webhooks, word) }] as const)
  return Object.fromEntries(all.filter(([, { urls }]) => urls.length > 0))
}

export function urlsOf(webhooks: readonly FormWebhook[], word: string): string[] {
  return [...new Set(webhooks.filter(({ words }) => words.includes(word)).map(({ url }) => url))]
}

export function wordsOf(webhooks: readonly FormWebhook[], url: string): string[] {
  return [...new Set(webhooks.filter((each) => each.url === url).flatMap(({ words }) => words))]
}

/** Sets the words of a URL; a webhook that is left without words is removed. */
export async function setWordsOfUrl(
  op: Operation,
  domain: SendingDomain,
  webhooks: readonly FormWebhook[],
  url: string,
  words: readonly string[],
): Promise<void> {
  const own = webhooks.filter((each) => each.url === url)
  if (own.length === 0 && words.length > 0) {
    const { companyId: company, id } = domain
    await addWebhook(op, { company, domain: id, dialect: 'form', url, events: words })
  }
  const known = wordsOf(own, url)
  for (const [index, { id, words: before }] of own.entries()) {
    const events = words.filter((word) => before.includes(word) || (index === 0 && !known.includes(word)))
    if (events.length === 0) await removeWebhook(op, { id })
    else if (events.length !== before.length || events.some((word) => !before.includes(word)))
      await updateWebhook(op, { id, events })
  }
}

/** Sets the URLs of a word. */
export async function setUrlsOfWord(
  op: Operation,
  domain: SendingDomain,
  webhooks: readonly FormWebhook[],
  word: string,
  urls: readonly string[],
): Promise<void> {
  // All URLs are checked before the first one is added.
  for (const url of urls) if (!webhooks.some((each) => each.url === url)) publicWebhookUrl(op, url)
  for (const url of new Set([...urls, ...urlsOf(webhooks, word)])) {
    const before = wordsOf(webhooks, url)
    const others = before.filter((each) => each !== word)
    const after = urls.includes(url) ? [...others, word] : others
    if (after.length !== before.length) await setWordsOfUrl(op, domain, webhooks, url, after)
  }
}
