/** Deletes all captured emails, in capture mode. */
import { deleteAllEmails } from '../../api/email.ts'
import { confirm } from '../../parts/confirm.tsx'
import { ALL } from '../../shell/company.ts'

export const askToClear = (company: string) =>
  confirm({
    title: 'Delete all emails?',
    about: `All captured emails of ${
      company === ALL ? 'all companies' : 'this company'
    } are deleted with their content and events. This cannot be undone. Emails that are not sent yet stay.`,
    act: 'Delete all emails',
    run: () => deleteAllEmails(company),
    done: 'The captured emails were deleted.',
  })
