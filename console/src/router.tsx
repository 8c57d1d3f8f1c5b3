/**
 * Every address of the console. The state of a page is part of its address, so that each state can be linked
 * to.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from './api/client.ts'
import type { OverviewSpan } from './api/overview.ts'
import { onSignedOut, queries } from './api/queries.ts'
import './pages/sign-in/arrival.ts'
import { INBOUND_KINDS, INBOUND_OUTCOMES } from '../../src/email/inbound-mail.ts'
import { flagIn, oneOf, searchOf, textIn } from './api/search.ts'
import { sessionQuery } from './api/session.ts'
import { validateEmailPageSearch } from './pages/email/search.ts'
import { openIn, readSearch } from './pages/emails/search.ts'
import { ErrorAlert } from './parts/error-alert.tsx'
import { loaded, loadWhenIdle } from './parts/later.ts'
import { CompanyPages } from './shell/company-pages.tsx'
import { Frame } from './shell/frame.tsx'

/** The component of a page, which the router also loads when the pointer is above a link to it. */
function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  importer: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(loaded(importer, navigation), name)
}

/** Resolves when somebody opens a page; at once if that is under way. */
function navigation(): Promise<void> {
  if (router.state.status === 'pending') return Promise.resolve()
  return new Promise((resolve) => {
    const stop = router.subscribe('onBeforeNavigate', () => {
      stop()
      resolve()
    })
  })
}

const SPANS: readonly OverviewSpan[] = ['hour', 'day', 'week', 'month', 'year']

const root = createRootRoute()

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchOf((given) => ({
    to: textIn(given, 'to')?.startsWith('/') ? textIn(given, 'to') : undefined,
    // The person has signed in by a link, and has no password yet.
    choose: flagIn(given, 'choose'),
  })),
  component: page(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  component: page(() => import('./pages/new-password/new-password-page.tsx'), 'NewPasswordPage'),
})

/** The routes that need a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ location }) {
    try {
      return { me: await queries.ensureQueryData(sessionQuery) }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      const to = location.href === '/' ? {} : { to: location.href }
      throw redirect({ to: '/sign-in', search: to })
    }
  },
  component: Frame,
})

const loadHome = loaded(() => import('./shell/home.ts'), navigation)

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { homeOf } = await loadHome()
    throw redirect(await homeOf(context.me))
  },
})

/** The pages of one company, or of all companies (`all`) for an operator. */
const company = createRoute({
  getParentRoute: () => signedIn,
  path: '/c/$company',
  component: CompanyPages,
})

const overview = createRoute({
  getParentRoute: () => company,
  path: '/overview',
  validateSearch: searchOf((given) => ({
    span: oneOf(given, 'span', SPANS),
    domain: textIn(given, 'domain'),
    to: textIn(given, 'to'),
    // The mail that is explained: the address of a recipient, and the name of a sending domain.
    explain: textIn(given, 'explain'),
    from: textIn(given, 'from'),
  })),
  component: page(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
})

const start = createRoute({
  getParentRoute: () => company,
  path: '/start',
  component: page(() => import('./pages/start/start-page.tsx'), 'StartPage'),
})

const emails = createRoute({
  getParentRoute: () => company,
  path: '/emails',
  validateSearch: (search: Record<string, unknown>) => ({ ...readSearch(search), ...openIn(search) }),
  component: page(() => import('./pages/emails/emails-page.tsx'), 'EmailsPage'),
})

const email = createRoute({
  getParentRoute: () => company,
  path: '/emails/$id',
  validateSearch: validateEmailPageSearch,
  component: page(() => import('./pages/email/email-page.tsx'), 'EmailPage'),
})

const domains = createRoute({
  getParentRoute: () => company,
  path: '/domains',
  validateSearch: searchOf((given) => ({ search: textIn(given, 'search'), add: flagIn(given, 'add') })),
  component: page(() => import('./pages/domains/domains-page.tsx'), 'DomainsPage'),
})

const domain = createRoute({
  getParentRoute: () => company,
  path: '/domains/$domain',
  validateSearch: searchOf((given) => ({ tab: oneOf(given, 'tab', ['dkim', 'reports', 'settings']) })),
  component: page(() => import('./pages/domain/domain-page.tsx'), 'DomainPage'),
})

const keys = createRoute({
  getParentRoute: () => company,
  path: '/keys',
  validateSearch: searchOf((given) => ({
    search: textIn(given, 'search'),
    show: oneOf(given, 'show', ['ended', 'snippets']),
    add: flagIn(given, 'add'),
    client: textIn(given, 'client'),
  })),
  component: page(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
})

const webhooks = createRoute({
  getParentRoute: () => company,
  path: '/webhooks',
  validateSearch: searchOf((given) => ({ add: flagIn(given, 'add'), after: textIn(given, 'after') })),
  component: page(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const webhook = createRoute({
  getParentRoute: () => company,
  path: '/webhooks/$id',
  validateSearch: searchOf((given) => ({
    tab: oneOf(given, 'tab', ['test', 'verify', 'settings']),
    result: oneOf(given, 'result', ['failed', 'succeeded']),
    message: textIn(given, 'message'),
    before: textIn(given, 'before'),
  })),
  component: page(() => import('./pages/webhook/webhook-page.tsx'), 'WebhookPage'),
})

const suppressions = createRoute({
  getParentRoute: () => company,
  path: '/suppressions',
  validateSearch: searchOf((given) => ({
    list: oneOf(given, 'list', ['allowed']),
    dialog: oneOf(given, 'dialog', ['add', 'import']),
    term: textIn(given, 'term'),
    type: oneOf(given, 'type', ['bounce', 'complaint', 'manual', 'unsubscribe']),
    domain: textIn(given, 'domain'),
    after: textIn(given, 'after'),
    before: textIn(given, 'before'),
  })),
  component: page(() => import('./pages/suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
})

const team = createRoute({
  getParentRoute: () => company,
  path: '/team',
  component: page(() => import('./pages/team/team-page.tsx'), 'TeamPage'),
})

const settings = createRoute({
  getParentRoute: () => company,
  path: '/settings',
  component: page(() => import('./pages/company/company-page.tsx'), 'CompanyPage'),
})

const audit = createRoute({
  getParentRoute: () => company,
  path: '/audit',
  validateSearch: searchOf((given) => ({
    by: textIn(given, 'by'),
    action: textIn(given, 'action'),
    topic: oneOf(given, 'topic', ['change', 'session']),
    from: textIn(given, 'from'),
    to: textIn(given, 'to'),
  })),
  component: page(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
})

const requests = createRoute({
  getParentRoute: () => company,
  path: '/requests',
  validateSearch: searchOf((given) => ({
    refused: flagIn(given, 'refused') as boolean | undefined,
    status: Number(textIn(given, 'status')) || undefined,
    key: textIn(given, 'key'),
    endpoint: textIn(given, 'endpoint'),
    error: textIn(given, 'error'),
    open: textIn(given, 'open'),
    from: textIn(given, 'from'),
    to: textIn(given, 'to'),
    after: textIn(given, 'after'),
    before: textIn(given, 'before'),
  })),
  component: page(() => import('./pages/requests/requests-page.tsx'), 'RequestsPage'),
})

const returned = createRoute({
  getParentRoute: () => company,
  path: '/returned',
  validateSearch: searchOf((given) => ({
    kind: oneOf(given, 'kind', INBOUND_KINDS),
    outcome: oneOf(given, 'outcome', INBOUND_OUTCOMES),
    email: textIn(given, 'email'),
    after: textIn(given, 'after'),
    before: textIn(given, 'before'),
  })),
  component: page(() => import('./pages/returned/returned-mail-page.tsx'), 'ReturnedMailPage'),
})

const installation = createRoute({
  getParentRoute: () => signedIn,
  path: '/installation',
  component: page(() => import('./pages/installation/installation-page.tsx'), 'InstallationPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: page(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
})

/** Every other address. */
const unknown = createRoute({
  getParentRoute: () => signedIn,
  path: '$',
  component: page(() => import('./shell/not-found.tsx'), 'PageNotFound'),
})

const unknownOfCompany = createRoute({
  getParentRoute: () => company,
  path: '$',
  component: page(() => import('./shell/not-found.tsx'), 'PageNotFound'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    newPassword,
    signedIn.addChildren([
      home,
      account,
      installation,
      unknown,
      company.addChildren([
        overview,
        start,
        emails,
        email,
        domains,
        domain,
        keys,
        webhooks,
        webhook,
        suppressions,
        team,
        settings,
        audit,
        requests,
        returned,
        unknownOfCompany,
      ]),
    ]),
  ]),
  basepath: '/console',
  // Of each route, so that an error of a page leaves the frame around it.
  defaultErrorComponent: ErrorAlert,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

const stopWaiting = router.subscribe('onResolved', () => {
  stopWaiting()
  loadWhenIdle()
})

// A person whose session ends returns to the same page after signing in again. The document is loaded anew: it forgets the
// answers of the old session, and a click meanwhile cannot replace the sign-in page. Before the first page is shown, `signedIn`
// redirects.
onSignedOut(() => {
  const { resolvedLocation } = router.state
  if (resolvedLocation === undefined || resolvedLocation.pathname === '/sign-in') return
  void router.navigate({ to: '/sign-in', search: { to: resolvedLocation.href }, reloadDocument: true })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
