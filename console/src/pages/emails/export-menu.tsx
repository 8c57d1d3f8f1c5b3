/** Exports emails as a table or as messages. */
import { Button, Menu } from '@mantine/core'
import { Download, Mails, Table } from 'lucide-react'
import { notify } from '../../parts/notify.ts'
import { ExportProgress } from './export-progress.tsx'
import { type ExportKind, type LoadEmails, startExport } from './export-run.ts'

interface ExportMenuProps {
  size: 'xs' | 'sm'
  load: LoadEmails
}

export function ExportMenu({ size, load }: ExportMenuProps) {
  const start = (kind: ExportKind) => {
    if (!startExport(kind, load)) {
      return void notify({ color: 'red', message: 'Another export is under way. Stop it first, or wait.' })
    }
    void notify({
      id: 'export',
      autoClose: false,
      withCloseButton: false,
      message: <ExportProgress />,
    })
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size={size} px="sm" variant="default" leftSection={<Download size={14} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Table size={16} aria-hidden />} onClick={() => start('csv')}>
          Table (CSV)
        </Menu.Item>
        <Menu.Item leftSection={<Mails size={16} aria-hidden />} onClick={() => start('zip')}>
          Messages (.eml in a ZIP)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
