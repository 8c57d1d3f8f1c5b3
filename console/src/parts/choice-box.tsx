import classes from './choice-box.module.css'

interface ChoiceBoxProps {
  label: string
  checked: boolean
  /** `isRange`: with the Shift key. */
  onChoose: (isRange: boolean) => void
}

/** Chooses a row of a list. The whole cell is its target. */
export function ChoiceBox({ label, checked, onChoose }: ChoiceBoxProps) {
  return (
    <label className={classes.box}>
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={({ nativeEvent }) => onChoose((nativeEvent as MouseEvent).shiftKey)}
      />
    </label>
  )
}
