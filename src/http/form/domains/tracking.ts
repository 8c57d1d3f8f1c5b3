/** `/v3/domains/{domain}/tracking`: a domain's settings for tracking opens, clicks and unsubscriptions. */

import type { DomainSettings, Principal } from '../../../accounts/account.ts'
import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { showDomain, updateDomain } from '../../../operate/domains.ts'
import { WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { FLAG, TEXT } from '../schemas.ts'
import { webSchemeOf } from './domain.ts'

const URL = '/v3/domains/:domain/tracking'
const ACTIVE = { ...WORD, description: 'yes or no.' } as const

const OPEN = { type: 'object', properties: { active: FLAG, place_at_the_top: FLAG } } as const
const CLICK = {
  type: 'object',
  properties: { active: { anyOf: [FLAG, { const: 'htmlonly' }] } },
} as const
const UNSUBSCRIBE = {
  type: 'object',
  properties: { active: FLAG, html_footer: TEXT, text_footer: TEXT },
} as const

const USUAL_HTML = '\n<br>\n<p><a href="%unsubscribe_url%">unsubscribe</a></p>\n'
const USUAL_TEXT = '\n\nTo unsubscribe click: <%unsubscribe_url%>\n\n'

function trackingJson({
  openTracking,
  openPixelOnTop = false,
  clickTracking,
  clicksInHtmlOnly = false,
  unsubscribeTracking = false,
  unsubscribeHtml = USUAL_HTML,
  unsubscribeText = USUAL_TEXT,
}: DomainSettings) {
  return {
    open: { active: openTracking, place_at_the_top: openPixelOnTop },
    click: { active: clickTracking && clicksInHtmlOnly ? ('htmlonly' as const) : clickTracking },
    unsubscribe: {
      active: unsubscribeTracking,
      html_footer: unsubscribeHtml,
      text_footer: unsubscribeText,
    },
  }
}

const show = route(`GET ${URL}`, {
  operation: 'form_tracking_read',
  access: 'reading',
  operationId: 'formShowTracking',
  summary: 'Get the tracking settings of a domain',
  answer: {
    type: 'object',
    properties: {
      tracking: {
        type: 'object',
        properties: { open: OPEN, click: CLICK, unsubscribe: UNSUBSCRIBE, web_scheme: TEXT },
      },
    },
  },
})(async ({ caller, params }, core) => {
  const { op, domain: own } = await onOwnDomain(core, caller, params.domain)
  const { domain } = await showDomain(op, { domain: own.id })
  const web_scheme = webSchemeOf(domain.settings)
  return { tracking: { ...trackingJson(domain.settings), web_scheme } }
})

async function change(core: HttpCore, caller: Principal, name: string, settings: Partial<DomainSettings>) {
  const { op, domain: own } = await onOwnDomain(core, caller, name)
  const domain = await updateDomain(op, { domain: own.id, settings })
  return { message: 'Domain tracking settings have been updated', ...trackingJson(domain.settings) }
}

const open = route(`PUT ${URL}/open`, {
  operation: 'form_tracking_update',
  access: 'management',
  operationId: 'formTrackOpens',
  summary: 'Set whether opens are to be tracked',
  body: {
    type: 'object',
    properties: { active: ACTIVE, place_at_the_top: ACTIVE },
  },
  answer: { type: 'object', properties: { message: TEXT, open: OPEN } },
})(async ({ caller, params, body }, core) => {
  const { active, place_at_the_top: top } = body
  const settings = {
    ...(active !== undefined && { openTracking: flag('active', active) }),
    ...(top !== undefined && { openPixelOnTop: flag('place_at_the_top', top) }),
  }
  return await change(core, caller, params.domain, settings)
})

const click = route(`PUT ${URL}/click`, {
  operation: 'form_tracking_update',
  access: 'management',
  operationId: 'formTrackClicks',
  summary: 'Set whether clicks are to be tracked',
  body: {
    type: 'object',
    properties: { active: { ...WORD, description: 'yes, no or htmlonly.' } },
  },
  answer: { type: 'object', properties: { message: TEXT, click: CLICK } },
})(async ({ caller, params, body }, core) => {
  const settings = body.active === undefined ? {} : clicksOf(body.active)
  return await change(core, caller, params.domain, settings)
})

function clicksOf(active: string) {
  const clicksInHtmlOnly = active.toLowerCase() === 'htmlonly'
  return { clickTracking: clicksInHtmlOnly || flag('active', active), clicksInHtmlOnly }
}

const unsubscribe = route(`PUT ${URL}/unsubscribe`, {
  operation: 'form_tracking_update',
  access: 'management',
  operationId: 'formTrackUnsubscriptions',
  summary: 'Set whether an unsubscribe link is added, and its text',
  body: {
    type: 'object',
    properties: {
      active: ACTIVE,
      html_footer: { type: 'string', maxLength: 10_000 },
      text_footer: { type: 'string', maxLength: 10_000 },
    },
  },
  answer: { type: 'object', properties: { message: TEXT, unsubscribe: UNSUBSCRIBE } },
})(async ({ caller, params, body }, core) => {
  const { active, html_footer: html, text_footer: text } = body
  const settings = {
    ...(active !== undefined && { unsubscribeTracking: flag('active', active) }),
    ...(html !== undefined && { unsubscribeHtml: html }),
    ...(text !== undefined && { unsubscribeText: text }),
  }
  return await change(core, caller, params.domain, settings)
})

/** An empty text means no. Throws a Refusal. */
function flag(field: string, text: string): boolean {
  return text !== '' && isYes(field, text)
}

export const trackingRoutes: readonly Endpoint[] = [show, open, click, unsubscribe]
