/**
 * The form of the console. It holds the values, allows one submission at a time, and shows errors at their
 * fields.
 */
import { Button, type ButtonProps, Group, Stack, type StackProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { useLastAnswer } from '../api/answering.ts'
import { ApiError } from '../api/client.ts'
import { isUnanswered } from '../api/queries.ts'
import { FormError } from './form-error.tsx'

export interface FormSpec<Values, Result> {
  initial: Values
  submit: (values: Values) => Promise<Result>
  onDone?: ((result: Result) => unknown) | undefined
  onError?: ((error: Error) => void) | undefined
  /** The field that shows errors without a field. If absent, the form shows them. */
  errorAt?: keyof Values | undefined
  valid?: ((values: Values) => boolean) | undefined
}

export interface FormState<Values, Result> {
  values: Values
  set: (change: Partial<Values>) => void
  /** The props of an input: `onChange` takes its event or its value. */
  field: <Name extends keyof Values>(
    name: Name,
  ) => { value: Values[Name]; onChange: (given: unknown) => void; error: string | undefined }
  /** `change`: values that were entered in the same moment. */
  send: (change?: Partial<Values>) => void
  /** Back to the initial values. */
  clear: () => void
  /** Forgets the last submission: its result and its error. */
  forget: () => void
  pending: boolean
  valid: boolean
  /** The error of the last submission, if no field shows it. */
  error: Error | null
  /** The field that shows the error. */
  wrong: keyof Values | undefined
  result: Result | undefined
}

export function useForm<Values extends object, Result>(
  spec: FormSpec<Values, Result>,
): FormState<Values, Result> {
  const { initial, submit, onDone, onError, errorAt, valid } = spec
  const [values, setValues] = useState(initial)
  const sending = useMutation({
    mutationFn: submit,
    onSuccess: (result) => onDone?.(result),
    onError: (error) => onError?.(error),
  })
  const { error, isPending, reset } = sending
  const isAway = useLastAnswer() !== null
  const wasAway = useRef(false)
  useEffect(() => {
    if (wasAway.current && !isAway && isUnanswered(error)) reset()
    wasAway.current = isAway
  }, [isAway, error, reset])
  const named = error instanceof ApiError ? (error.field ?? '') : ''
  const wrong = error === null ? undefined : named in values ? (named as keyof Values) : errorAt
  /** The fields that the form has. */
  const shown = new Set<keyof Values>()
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  return {
    values,
    set,
    field(name) {
      shown.add(name)
      return {
        value: values[name],
        onChange: (given) => set({ [name]: enteredIn(given) } as Partial<Values>),
        error: name === wrong ? error?.message : undefined,
      }
    },
    send(change = {}) {
      if (isPending) return
      set(change)
      sending.mutate({ ...values, ...change })
    },
    clear: () => setValues(initial),
    forget: sending.reset,
    pending: isPending,
    valid: valid === undefined || valid(values),
    get error() {
      return wrong !== undefined && shown.has(wrong) ? null : error
    },
    wrong,
    result: sending.data,
  }
}

/** The value that an input reports, directly or in an event. */
function enteredIn(given: unknown): unknown {
  const isEvent = typeof given === 'object' && given !== null && 'currentTarget' in given
  return isEvent ? (given.currentTarget as HTMLInputElement).value : given
}

type FormStatus = Pick<FormState<never, unknown>, 'pending' | 'valid'>

const Status = createContext<FormStatus>({ pending: false, valid: true })

/**
 * `actions`: the buttons at the end, or the label of the only one. Absent if one of the children is the
 * button.
 */
export function Form({
  of: form,
  label,
  gap = 'sm',
  maw,
  actions,
  children,
}: {
  of: FormStatus & { send: () => void; error: Error | null; wrong: PropertyKey | undefined }
  label?: string
  gap?: StackProps['gap']
  maw?: StackProps['maw']
  actions?: ReactNode
  children: ReactNode
}) {
  const element = useRef<HTMLFormElement>(null)
  const { wrong, pending } = form
  useEffect(() => {
    if (wrong === undefined || pending) return
    const input = element.current?.querySelector<HTMLInputElement>('[aria-invalid=true]')
    input?.focus()
    input?.select()
  }, [wrong, pending])
  return (
    <form
      ref={element}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        form.send()
      }}
    >
      <Stack gap={gap} maw={maw}>
        <Status value={form}>
          {children}
          <FormError error={form.error} />
          {typeof actions === 'string' ? (
            <Group>
              <SubmitButton>{actions}</SubmitButton>
            </Group>
          ) : (
            actions
          )}
        </Status>
      </Stack>
    </form>
  )
}

/** The props of an input for text that has one spelling, such as a domain. */
export const EXACT = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

export function SubmitButton({ disabled = false, ...button }: ButtonProps & { children: ReactNode }) {
  const { pending, valid } = useContext(Status)
  return <Button type="submit" loading={pending} disabled={disabled || !valid} {...button} />
}
