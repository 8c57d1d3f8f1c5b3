import {
  Badge,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  type ModalProps,
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
    // Dialogs and notifications are loaded after the first view, so that their components are not named here.
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
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb3',
    '--mantine-color-body': '#15181b',
    '--mantine-color-error': '#ff8787',
    // Lighter than the page: the library's is black.
    '--mantine-color-gray-light': '#2b3036',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
})
