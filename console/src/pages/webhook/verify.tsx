import { Group, PasswordInput, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { rotateSecret, secretQuery, type WebhookDetail } from '../../api/webhooks.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Pending } from '../../parts/pending.tsx'
import { useMayManage } from '../../shell/company.ts'
import { SNIPPETS } from './snippets.ts'

/** The signing secret, and code that verifies signatures with it. */
export function Verify({ of: webhook }: { of: WebhookDetail }) {
  const mayManage = useMayManage()
  const snippets = SNIPPETS[webhook.dialect]
  return (
    <Stack gap="lg">
      {mayManage ? (
        <Secret of={webhook} />
      ) : (
        <Text c="dimmed">Viewers cannot see the secret. Ask a developer of the company.</Text>
      )}
      <section aria-labelledby="how">
        <Title order={2} size="h4" id="how">
          Verify the signature
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          Verify the signature of the raw body, before parsing it. Set the environment variable WEBHOOK_SECRET
          to the secret.
        </Text>
        <Tabs defaultValue={snippets[0]!.name} keepMounted={false}>
          <Tabs.List>
            {snippets.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippets.map(({ name, code }) => (
            <Tabs.Panel key={name} value={name} pt="sm">
              <CodeBlock code={code} what={`the code for ${name}`} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
    </Stack>
  )
}

function Secret({ of: { company, id, dialect } }: { of: WebhookDetail }) {
  const query = useQuery(secretQuery(company, id))
  if (!query.data) return <Pending of={query} height={60} />
  const { own, secret } = query.data
  return (
    <Group align="flex-end" gap="xs">
      <PasswordInput
        label={own ? 'Signing secret' : 'Signing key of the company'}
        value={secret}
        readOnly
        style={{ flexGrow: 1 }}
        maw={520}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
      />
      <Copy value={secret} what="the secret" />
      <ActionButton
        leftSection={<RotateCw size={16} aria-hidden />}
        ask={{
          title: own ? 'Rotate the secret?' : 'Rotate the signing key of the company?',
          about:
            dialect === 'json'
              ? 'Messages are signed with both secrets for a day, so that you have time to replace the old one.'
              : 'The new key applies at once to all webhooks of the company with event data. Your applications refuse messages until they have it.',
          act: 'Rotate',
          harmless: own,
        }}
        run={() => rotateSecret(company, id)}
        done="The secret was rotated."
      >
        Rotate
      </ActionButton>
    </Group>
  )
}
