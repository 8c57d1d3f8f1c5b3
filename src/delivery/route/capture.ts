import { joinedInTurns } from '../../common/octets.ts'
import { CAPTURE_SERVER } from '../../email/recipient.ts'
import type { RouteRequest, RouteResult } from './route.ts'

/** Composes and signs exactly as if the message left for a server that can do everything, and keeps the bytes. */
export async function capture(request: RouteRequest): Promise<RouteResult> {
  const message = await request.message({ eightBitMime: true, smtpUtf8: true, unstuffed: true })
  return {
    outcomes: request.delivery.recipients.map(({ position }) => ({
      position,
      verdict: 'delivered',
      code: 250,
      enhancedCode: '2.0.0',
      message: 'Captured',
    })),
    server: CAPTURE_SERVER,
    tls: null,
    captured: await joinedInTurns(message.chunks),
  }
}
