/**
 * The guide of a new company, up to its first message. Each step has its form in place, and the next one opens by
 * itself. Which step is next follows from what the company has.
 */
import { Group } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type CompanySetup, type SetupStep, stepQuery } from '../../api/start.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { DomainNameInput, newDomainForm } from '../domains/domain-form.tsx'
import { CompanyForm } from '../installation/company-form.tsx'
import { RecordsStep } from './records-step.tsx'
import { type ListedStep, StepList } from './step-list.tsx'
import { OF_COMPANY, type StepWords } from './steps.ts'
import { TestMessage } from './test-message.tsx'

const ABOUT = 'From here to your first email.'

/** Before there is a company. Only an operator can create one. */
export function FirstCompany() {
  const navigate = useNavigate()
  const form = (
    <CompanyForm
      label="Name of your company"
      autoFocus
      button={{ children: 'Create company' }}
      onDone={({ id }) => void navigate({ to: '/c/$company/start', params: { company: id }, replace: true })}
    />
  )
  const later = [OF_COMPANY.domain, OF_COMPANY.dns, OF_COMPANY.message]
  return (
    <StepList
      title="First message"
      about={ABOUT}
      steps={[
        { ...companyStep(null), content: form, isNext: true },
        ...later.map((step) => ({ ...step, result: TO_DO })),
      ]}
    />
  )
}

const TO_DO: SetupStep = { state: 'open', found: '', advice: null, code: null }

function companyStep(name: string | null): ListedStep {
  return {
    title: 'Company',
    why: 'Domains, API keys and mail belong to a company. You can add other companies later.',
    result: name === null ? TO_DO : { ...TO_DO, state: 'done', found: visible(name) },
  }
}

/** The guide says by its forms what to do. */
function withoutAdvice(result: SetupStep | undefined): SetupStep | undefined {
  return result?.state === 'open' ? { ...result, advice: null } : result
}

/** `withDomain`: the company has to have a domain of its own first. */
export function FirstMessage({
  company: { id, name },
  setup,
  withDomain,
}: {
  company: { id: string; name: string }
  setup: CompanySetup
  withDomain: boolean
}) {
  const mayManage = useMayManage()
  const { next, domain } = setup
  const steps: { words: StepWords; of: CompanySetup['next']; content: ReactNode }[] = [
    ...(withDomain
      ? [
          {
            words: OF_COMPANY.domain,
            of: 'domain' as const,
            content: next === 'domain' && <DomainStep company={id} />,
          },
          {
            words: OF_COMPANY.dns,
            of: 'records' as const,
            content: <RecordsStep company={id} domain={domain?.id} isNext={next === 'records'} />,
          },
        ]
      : []),
    {
      words: OF_COMPANY.message,
      of: 'message' as const,
      content: (next === 'message' || next === null || !mayManage) && <TestMessage key={id} company={id} />,
    },
  ]
  const results = useQueries({ queries: steps.map(({ words }) => stepQuery(id, words.name)) })
  return (
    <StepList
      title="First message"
      about={ABOUT}
      steps={[
        companyStep(name),
        ...steps.map(({ words, of, content }, index) => ({
          ...words,
          result: withoutAdvice(results[index]!.data),
          query: results[index]!,
          isNext: mayManage && next === of,
          content: (mayManage || of === 'message') && content,
        })),
      ]}
    />
  )
}

function DomainStep({ company }: { company: string }) {
  const form = useForm(newDomainForm(company))
  return (
    <Form of={form}>
      <Group align="flex-start" gap="sm">
        <DomainNameInput
          autoFocus
          withAsterisk={false}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.field('name')}
        />
        <SubmitButton mt={{ xs: 25 }}>Add domain</SubmitButton>
      </Group>
    </Form>
  )
}
