/**
 * Every route of the console: a new one is a row in the file of its noun, and one in test/http/console/tenants-rows.ts.
 */
import { ACCOUNT_ROUTES, IDENTITY_ROUTES, MEMBERSHIP_ROUTES, PASSKEY_ROUTES, TOTP_ROUTES } from './account.ts'
import { AUDIT_ROUTES } from './audit.ts'
import { COMPANY_ROUTES } from './company.ts'
import { DOCTOR_ROUTES } from './doctor.ts'
import { DOMAIN_REPORT_ROUTES, TLS_REPORT_ROUTES } from './domain-reports.ts'
import { DKIM_KEY_ROUTES, DOMAIN_ROUTES, RECORD_ROUTES, RELAY_ROUTES, RETENTION_ROUTES } from './domains.ts'
import {
  EMAIL_ACTION_ROUTES,
  EMAIL_DOCUMENT_ROUTES,
  EMAIL_ROUTES,
  EMAIL_SOURCE_ROUTES,
  EXTERNAL_LINK_ROUTES,
} from './email.ts'
import { EMAIL_LIST_ROUTES, LIVE_ROUTES } from './emails.ts'
import { EXPLAIN_ROUTES } from './explain.ts'
import { KEY_ROUTES } from './keys.ts'
import { INSTALLATION_ROUTES, OVERVIEW_ROUTES } from './overview.ts'
import { QUEUE_ROUTES } from './queue.ts'
import { REQUEST_ROUTES } from './requests.ts'
import { RETURNED_ROUTES } from './returned-mail.ts'
import { LINK_ROUTES, NEW_PASSWORD_ROUTES, OPENID_ROUTES, SESSION_ROUTES, SIGN_IN_ROUTES } from './session.ts'
import { SITE_ROUTES } from './sites.ts'
import { START_ROUTES } from './start.ts'
import { ALLOWED_ROUTES, SUPPRESSION_FILE_ROUTES, SUPPRESSION_ROUTES } from './suppressions.ts'
import { PEOPLE_ROUTES, TEAM_ROUTES } from './team.ts'
import { WEBHOOK_MESSAGE_ROUTES, WEBHOOK_ROUTES } from './webhooks.ts'

export const CONSOLE_ROUTES = {
  ...ACCOUNT_ROUTES,
  ...TOTP_ROUTES,
  ...PASSKEY_ROUTES,
  ...MEMBERSHIP_ROUTES,
  ...IDENTITY_ROUTES,
  ...AUDIT_ROUTES,
  ...COMPANY_ROUTES,
  ...DOMAIN_ROUTES,
  ...RECORD_ROUTES,
  ...DKIM_KEY_ROUTES,
  ...DOMAIN_REPORT_ROUTES,
  ...RELAY_ROUTES,
  ...RETENTION_ROUTES,
  ...EMAIL_LIST_ROUTES,
  ...LIVE_ROUTES,
  ...EMAIL_ROUTES,
  ...EMAIL_SOURCE_ROUTES,
  ...EMAIL_DOCUMENT_ROUTES,
  ...EXTERNAL_LINK_ROUTES,
  ...EMAIL_ACTION_ROUTES,
  ...KEY_ROUTES,
  ...OVERVIEW_ROUTES,
  ...QUEUE_ROUTES,
  ...REQUEST_ROUTES,
  ...RETURNED_ROUTES,
  ...INSTALLATION_ROUTES,
  ...SITE_ROUTES,
  ...TLS_REPORT_ROUTES,
  ...DOCTOR_ROUTES,
  ...EXPLAIN_ROUTES,
  ...SESSION_ROUTES,
  ...SIGN_IN_ROUTES,
  ...LINK_ROUTES,
  ...NEW_PASSWORD_ROUTES,
  ...OPENID_ROUTES,
  ...START_ROUTES,
  ...SUPPRESSION_ROUTES,
  ...SUPPRESSION_FILE_ROUTES,
  ...ALLOWED_ROUTES,
  ...TEAM_ROUTES,
  ...PEOPLE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...WEBHOOK_MESSAGE_ROUTES,
} as const
