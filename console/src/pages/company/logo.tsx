import { Box, Button, FileButton, Group, Text } from '@mantine/core'
import { ImageUp } from 'lucide-react'
import { useState } from 'react'
import { type CompanySettings, removeLogo, renameCompany, setLogo } from '../../api/company.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { CompanyLogo } from '../../parts/company-logo.tsx'
import { attempt } from '../../parts/confirm.tsx'
import { RenameDialog } from '../../parts/form-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { PICTURE_TYPES, smallPicture } from './small-picture.ts'

/** The name of the company, and its logo. */
export function Logo({ of, mayChange }: { of: CompanySettings; mayChange: boolean }) {
  const [pending, setPending] = useState(false)
  const [renaming, setRenaming] = useState(false)
  const { id, name, ownName, logo } = of
  const change = async (file: File | null) => {
    if (file === null) return
    setPending(true)
    await attempt({ run: async () => setLogo(id, await smallPicture(file)), done: 'The logo was changed.' })
    setPending(false)
  }
  return (
    <Section
      title="Name and logo"
      about="Members of the company see the name and the logo. Recipients of its mail see neither."
    >
      <Group justify="space-between">
        <Group gap="sm" wrap="nowrap">
          <CompanyLogo of={of} size={40} />
          <Box>
            <Text fw={600}>
              <UntrustedText>{name}</UntrustedText>
            </Text>
            {ownName !== null && (
              <Text size="sm">
                Its people call it <UntrustedText>{ownName}</UntrustedText>.
              </Text>
            )}
            {logo === null && (
              <Text size="sm" c="dimmed">
                No logo
              </Text>
            )}
          </Box>
        </Group>
        {mayChange && (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setRenaming(true)}>
              Rename...
            </Button>
            {logo !== null && (
              <ActionButton size="xs" run={() => removeLogo(id)} done="The logo was removed.">
                Remove logo
              </ActionButton>
            )}
            <FileButton accept={PICTURE_TYPES} onChange={(file) => void change(file)}>
              {(props) => (
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<ImageUp size={14} aria-hidden />}
                  loading={pending}
                  {...props}
                >
                  Choose a picture...
                </Button>
              )}
            </FileButton>
          </Group>
        )}
      </Group>
      {mayChange && (
        <Text size="xs" c="dimmed">
          The logo can be a PNG, JPEG or WebP file. Your browser scales it down.
        </Text>
      )}
      <RenameDialog
        title="Rename company"
        from={renaming ? name : null}
        rename={(to) => renameCompany(id, to)}
        close={() => setRenaming(false)}
      />
    </Section>
  )
}
