/**
 * Searches as the person types. A search that the server cannot parse, such as an unknown filter,
 * shows a message below the field and leaves the list unchanged. One that is unfinished changes the list,
 * and shows its message once the person leaves the field or presses Enter.
 */
import { Box, CloseButton, Combobox, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { later, loaded } from '../../parts/later.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { useChoices } from './choices.ts'
import type { Completion } from './completions.ts'
import classes from './emails.module.css'
import { type EmailsSearch, withoutEmptyFilters } from './search.ts'
import { SearchHelp } from './search-help.tsx'
import { checkSearch } from './use-emails.ts'

/** Loaded when the field gets the focus, because the first view does without them. */
const loadCompletions = loaded(
  () => import('./completions.ts'),
  () => Promise.resolve(),
)

const SearchProblem = later(() => import('./search-problem.tsx'), 'SearchProblem')

/** Milliseconds after the last key until the search starts. */
const TYPED_MS = 300

interface SearchFieldProps {
  company: string
  search: EmailsSearch
  /** `replace`: replaces the current entry of the browser's history. */
  onChange: (search: EmailsSearch, replace?: boolean) => void
}

export function SearchField({ company, search, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.q ?? '')
  const [focused, setFocused] = useState(false)
  const [completing, setCompleting] = useState<Awaited<ReturnType<typeof loadCompletions>> | null>(null)
  const {
    problem: found,
    unfinished,
    looking,
    apply,
  } = useCheckedSearch({ company, search, onChange }, setText)
  const applySoon = useDebouncedCallback(apply, TYPED_MS)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })

  const wanted = completing?.choicesWanted(text)
  const { choices } = useChoices(company, (focused && wanted?.kind) || null, wanted?.begun ?? '')
  const completions = completing?.completionsOf(text, choices) ?? []
  const opened = combobox.dropdownOpened && completions.length > 0
  // With completions the term is only half typed: a part of the name of a key or a domain is the name of none.
  const problem = opened || (unfinished && focused) ? null : found

  const type = (next: string) => {
    setText(next)
    combobox.resetSelectedOption()
    combobox.openDropdown()
    applySoon(next)
  }
  const complete = (completion: Completion) => {
    if (completing !== null) type(completing.withTerm(text, completion))
    field.current?.focus()
  }
  useShortcuts([{ keys: '/', does: 'Search', run: () => field.current?.select() }])
  return (
    <Box className={classes.search} component="search">
      <Combobox
        store={combobox}
        withinPortal={false}
        onOptionSubmit={(term) => {
          const chosen = completions.find((each) => each.term === term)
          if (chosen !== undefined) complete(chosen)
        }}
      >
        <Combobox.Target withExpandedAttribute>
          <TextInput
            ref={field}
            flex={1}
            miw={0}
            aria-label="Search emails"
            aria-describedby={problem === null ? undefined : 'emails-search-problem'}
            aria-invalid={problem !== null}
            aria-autocomplete="list"
            placeholder="Search: words, to: tag: …"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            value={text}
            leftSection={looking ? <Loader size={14} /> : <Search size={16} aria-hidden />}
            rightSection={
              text !== '' ? (
                <CloseButton
                  size="sm"
                  aria-label="Clear the search field"
                  onClick={() => {
                    setText('')
                    void apply('')
                    field.current?.focus()
                  }}
                />
              ) : (
                !focused && (
                  <Text component="kbd" size="xs" visibleFrom="sm" className={classes.key}>
                    /
                  </Text>
                )
              )
            }
            onChange={({ currentTarget }) => type(currentTarget.value)}
            onFocus={() => {
              setFocused(true)
              combobox.openDropdown()
              void loadCompletions().then(setCompleting)
            }}
            onClick={() => combobox.openDropdown()}
            onBlur={() => {
              setFocused(false)
              combobox.closeDropdown()
            }}
            onKeyDown={({ key }) => {
              if (key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
                combobox.closeDropdown()
                applySoon.cancel()
                void apply(text, true)
              }
              // The first Escape closes the list and the second leaves the field, as in every combobox.
              if (key === 'Escape' && !opened) field.current?.blur()
            }}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={completions.length === 0}>
          <Combobox.Options aria-label="Suggestions" mah={320} style={{ overflowY: 'auto' }}>
            {completions.map(({ term, about }) => (
              <Combobox.Option key={term} value={term}>
                <code className={classes.term}>{term}</code>{' '}
                <Text component="span" size="sm" c="dimmed">
                  {about}
                </Text>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <SearchHelp onChoose={(example) => type(`${text.trim()} ${example} `.trimStart())} />
      {problem !== null && (
        <Suspense>
          <SearchProblem problem={problem} text={text} onChoose={type} />
        </Suspense>
      )}
    </Box>
  )
}

/** Applies the typed search once the server has accepted it. */
function useCheckedSearch(
  { company, search, onChange }: SearchFieldProps,
  show: (text: string) => void,
): {
  problem: string | null
  /** The problem is one only when the person has finished typing. */
  unfinished: boolean
  looking: boolean
  /** `settled`: the person has finished typing. */
  apply: (typed: string, settled?: boolean) => Promise<void>
} {
  const [problem, setProblem] = useState<string | null>(null)
  const [unfinished, setUnfinished] = useState(false)
  const [looking, setLooking] = useState(false)
  const applied = useRef(search.q ?? '')
  /** Why the search in the list is unfinished. */
  const appliedProblem = useRef<string | null>(null)
  const last = useRef(0)
  // The address has another search, after "back" or a link.
  useEffect(() => {
    const now = search.q ?? ''
    if (now === applied.current) return
    applied.current = now
    appliedProblem.current = null
    last.current += 1
    setProblem(null)
    setLooking(false)
    show(now)
  }, [search.q, show])
  const apply = async (typed: string, settled = false) => {
    const text = typed.trim()
    last.current += 1
    const own = last.current
    if (text === applied.current) {
      setProblem(appliedProblem.current)
      setUnfinished(!settled)
      setLooking(false)
      return
    }
    setProblem(null)
    setUnfinished(false)
    setLooking(false)
    const wanted = withoutEmptyFilters({ ...search, q: text })
    let problemOfText: string | null = null
    if (text !== '') {
      setLooking(true)
      const found = await checkSearch({ company, search: wanted, typing: settled ? undefined : true })
      // The person has typed on meanwhile.
      if (own !== last.current) return
      setLooking(false)
      setProblem(found.problem)
      setUnfinished(found.accepted)
      if (!found.accepted) return
      problemOfText = found.problem
    }
    const isAnother = applied.current === '' || text === ''
    applied.current = text
    appliedProblem.current = problemOfText
    onChange(wanted, !isAnother)
  }
  return { problem, unfinished, looking, apply }
}
