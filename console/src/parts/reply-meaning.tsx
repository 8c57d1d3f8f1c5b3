/** The meaning of a server's reply, and a link to its provider's explanation. */
import { Anchor, Text, type TextProps } from '@mantine/core'
import { providerOf } from '../../../src/email/mail-provider.ts'
import { type RefusalFacts, replyMeaning } from '../../../src/operate/reply-meaning.ts'

interface ReplyMeaningProps extends Pick<TextProps, 'size' | 'mt'> {
  of: RefusalFacts & { server: string | null }
}

export function ReplyMeaning({ of, size = 'sm', mt = 0 }: ReplyMeaningProps) {
  const meaning = replyMeaning(of)
  const provider = providerOf(of)
  if (meaning === null && provider === null) return null
  return (
    <Text size={size} c={size === 'xs' ? 'dimmed' : 'inherit'} component="p" m={0} mt={mt}>
      {meaning}{' '}
      {provider !== null && (
        <Anchor href={provider.about} target="_blank" rel="noopener noreferrer" inherit>
          What {provider.name} says about its replies
        </Anchor>
      )}
    </Text>
  )
}
