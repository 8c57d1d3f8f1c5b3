/** Tells the series of a chart apart without their colors: bars are hatched, lines are dashed. */

export type Texture = 'solid' | 'rising' | 'falling' | 'level' | 'dotted' | 'dashed'

/** CSS pixels. */
const TILE = 8

type Context = OffscreenCanvasRenderingContext2D

const HATCHES: Partial<Record<Texture, (context: Context, size: number) => void>> = {
  rising: (context, size) => diagonals(context, size, -1),
  falling: (context, size) => diagonals(context, size, 1),
  level(context, size) {
    context.moveTo(0, size / 2)
    context.lineTo(size, size / 2)
    context.stroke()
  },
  dotted(context, size) {
    context.arc(size / 2, size / 2, size / 4, 0, 2 * Math.PI)
    context.fill()
  },
}

const DASHES: Partial<Record<Texture, number[]>> = { dashed: [8, 5], dotted: [2, 4] }

/** The fill of a bar, for a canvas that is drawn in device pixels. */
export function fillOf(
  canvas: CanvasRenderingContext2D,
  color: string,
  texture: Texture = 'solid',
): string | CanvasPattern {
  const hatch = HATCHES[texture]
  if (hatch === undefined) return color
  const size = Math.round(TILE * devicePixelRatio)
  const tile = new OffscreenCanvas(size, size).getContext('2d')!
  tile.fillStyle = color
  tile.fillRect(0, 0, size, size)
  tile.strokeStyle = 'rgb(255 255 255 / 75%)'
  tile.fillStyle = tile.strokeStyle
  tile.lineWidth = size / 4
  tile.beginPath()
  hatch(tile, size)
  return canvas.createPattern(tile.canvas, 'repeat')!
}

/** The dashes of a line, in CSS pixels; none: the line has no gaps. */
export function dashesOf(texture: Texture = 'solid'): number[] {
  return DASHES[texture] ?? []
}

/** Three parallels: those through the corners continue in the neighboring tiles. `slope`: 1 falls, -1 rises. */
function diagonals(context: Context, size: number, slope: 1 | -1): void {
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift - size, slope === 1 ? -size : 2 * size)
    context.lineTo(shift + 2 * size, slope === 1 ? 2 * size : -size)
  }
  context.stroke()
}
