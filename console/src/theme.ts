import {
  Badge,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type SelectProps,
} from '@mantine/core'

/** Forest green: calm beside the red and yellow of failures, with good contrast in both color schemes. */
const road: MantineColorsTuple = [
  '#eaf7f2',
  '#d6ece3',
  '#aad8c6',
  '#7bc3a7',
  '#55b18d',
  '#3da67c',
  '#2f9a71',
  '#22805d',
  '#167252',
  '#005a3e',
]

/** The list of choices itself scrolls: a box within it that scrolls would need the focus (WCAG 2.2, 2.1.1). */
const CHOICES = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 'min(20rem, 50dvh)', overflowY: 'auto' } },
} satisfies { defaultProps: Partial<SelectProps>; styles: SelectProps['styles'] }

export const theme = createTheme({
  primaryColor: 'road',
  primaryShade: { light: 8, dark: 7 },
  colors: { road },
  defaultRadius: 'md',
  autoContrast: true,
  luminanceThreshold: 0.33,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: Badge.extend({ defaultProps: { tt: 'none' } }),
    // Screen readers announce the error of a field at once.
    InputWrapper: Input.Wrapper.extend({ defaultProps: { attributes: { error: { role: 'alert' } } } }),
    Select: CHOICES,
    MultiSelect: CHOICES,
    Autocomplete: CHOICES,
    // Dialogs, menus and notifications are loaded after the first view, so that their components are not named here.
    Menu: {
      // A menu contains nothing but items (ARIA 1.2), and its first item has the focus.
      defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps>,
    },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        // The header of a dialog is not a second page header (landmark `banner`).
        attributes: { header: { role: 'presentation' } },
      } satisfies Partial<ModalProps>,
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
  },
})

/** Gives text a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3) where the library's defaults do not reach it. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6570',
    '--mantine-color-body': '#fdfdfc',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-orange-light-color': '#a03a0a',
    '--mantine-color-orange-text': '#a03a0a',
    '--mantine-color-red-text': '#c92a2a',
    '--mantine-color-placeholder': '#5b6570',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb3',
    '--mantine-color-body': '#15181b',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#a3abb3',
    // On the chosen item of a menu too.
    '--mantine-color-red-text': '#ffa8a8',
    // Lighter than the page: the library's is black.
    '--mantine-color-gray-light': '#2b3036',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
})
