import { Popover, type PopoverProps } from '@mantine/core'

/** A popover with choices or a form, which has the keyboard while it is open. */
export function MenuPopover(props: PopoverProps) {
  return <Popover position="bottom-start" trapFocus withRoles shadow="md" {...props} />
}
