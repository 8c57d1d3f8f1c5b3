import type { SignInParts } from '../../operate/sign-in.ts'
import type { PeopleStore, Store } from '../../store/store.ts'

/** The store as the console's lists and pages of emails use it without a verb. */
export type ShownEmails = Pick<
  Store,
  'settledEventNumber' | 'recipientCounts' | 'readBeginnings' | 'readReasons' | 'readContent' | 'readValues'
>

/** The parts of an email that is sent again. */
export type ResentEmails = Pick<
  Store,
  'readEmail' | 'readRaw' | 'readRecipients' | 'readValues' | 'listFiles' | 'readFile'
>

/** Signing in, and the links and invitations of people who are not signed in. */
export type SignInStore = SignInParts['store'] &
  Pick<
    PeopleStore,
    'acceptInvitation' | 'findInvitation' | 'takeInvitation' | 'findLink' | 'takeLink' | 'touchSession'
  >
