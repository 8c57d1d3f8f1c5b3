/** The last reply of a server to mail that waits: its words, what they mean, and where its provider explains them. */
import { Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import { isLeftAlone, troubleIn } from '../../../src/email/not-attempted.ts'
import { replyIn } from '../../../src/operate/reply-text.ts'
import { Category } from './category.tsx'
import { Clamped } from './clamped.tsx'
import { ReplyMeaning } from './reply-meaning.tsx'
import { UntrustedText } from './untrusted-text.tsx'

interface LastReplyProps {
  message: string
  category: ComponentProps<typeof Category>['of'] | null
  /** The server that gave it, as far as it is known apart from the words. */
  server?: string | null
}

export function LastReply({ message, category, server = null }: LastReplyProps) {
  const trouble = troubleIn(message)
  return (
    <>
      <Text size="sm" component="div" title={trouble}>
        <Clamped>
          {category !== null && (
            <>
              <Category of={category} />{' '}
            </>
          )}
          <UntrustedText>{replyIn(trouble) ?? trouble}</UntrustedText>
        </Clamped>
      </Text>
      {!isLeftAlone(message) && <ReplyMeaning of={{ category, code: null, message, server }} size="xs" />}
    </>
  )
}
