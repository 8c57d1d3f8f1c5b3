/** The signed-in person: a button, whose menu is loaded at the first click. */
import { Suspense, useState } from 'react'
import { later } from '../parts/later.ts'
import { PersonButton } from './person-button.tsx'

const PersonMenu = later(() => import('./person-menu.tsx'), 'PersonMenu')

export function Person() {
  const [wanted, setWanted] = useState(false)
  const button = <PersonButton onClick={() => setWanted(true)} />
  return wanted ? (
    <Suspense fallback={button}>
      <PersonMenu />
    </Suspense>
  ) : (
    button
  )
}
