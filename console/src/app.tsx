import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { queries } from './api/queries.ts'
import { IDLE_AFTER, later } from './parts/later.ts'
import { overlaysWanted } from './parts/overlays-ready.ts'
import { router } from './router.tsx'
import classes from './shell/no-answer-notice.module.css'
import { NoAnswerNotice } from './shell/no-answer-notice.tsx'
import { styleNonce } from './style-nonce.ts'
import { theme, variables } from './theme.ts'

const colorScheme = localStorageColorSchemeManager({ key: 'postroad-color-scheme' })

/** Notifications and dialogs. A notification that is sent before they are loaded waits for them. */
const Overlays = later(() => import('./overlays.tsx'), 'Overlays')

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <div className={classes.place}>
          <Suspense>{useOverlaysWanted() && <Overlays />}</Suspense>
        </div>
        <RouterProvider router={router} />
        <NoAnswerNotice />
      </QueryClientProvider>
    </MantineProvider>
  )
}

function useOverlaysWanted(): boolean {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const begin = () => setWanted(true)
    void overlaysWanted.then(begin)
    const timer = setTimeout(begin, IDLE_AFTER)
    return () => clearTimeout(timer)
  }, [])
  return wanted
}
