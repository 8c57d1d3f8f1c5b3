/** The mark of a series in a legend, drawn like its bars or its line. */
import { useEffect, useRef } from 'react'
import classes from './chart.module.css'
import { dashesOf, fillOf, type Texture } from './texture.ts'

/** CSS pixels. */
const WIDTH = 16
const HEIGHT = 16

interface MarkProps {
  color: string
  texture: Texture | undefined
  isLine: boolean
}

export function Mark({ color, texture, isLine }: MarkProps) {
  const place = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = place.current!
    const paint = getComputedStyle(canvas).getPropertyValue(`--mantine-color-${color}`).trim()
    canvas.width = WIDTH * devicePixelRatio
    canvas.height = HEIGHT * devicePixelRatio
    const context = canvas.getContext('2d')!
    if (!isLine) {
      context.fillStyle = fillOf(context, paint, texture)
      context.fillRect(0, 0, canvas.width, canvas.height)
      return
    }
    context.scale(devicePixelRatio, devicePixelRatio)
    context.strokeStyle = paint
    context.lineWidth = 2
    context.setLineDash(dashesOf(texture))
    context.moveTo(0, HEIGHT / 2)
    context.lineTo(WIDTH, HEIGHT / 2)
    context.stroke()
  }, [color, texture, isLine])
  return <canvas ref={place} className={classes.mark} aria-hidden />
}
