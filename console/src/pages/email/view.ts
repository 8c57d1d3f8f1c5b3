import { useQuery } from '@tanstack/react-query'
import { type EmailContent, type EmailDetail, sourceQuery } from '../../api/email.ts'
import { useCopyFor } from './copy-choice.tsx'

/** The properties of every view of the content of an email. */
export interface EmailViewProps {
  company: string
  email: EmailDetail
  content: EmailContent
}

/** The message as it is sent, in the copy that is chosen. */
export function useSource({ company, email, content }: EmailViewProps) {
  return useQuery(sourceQuery(company, email.id, useCopyFor(email, content.individual)))
}
