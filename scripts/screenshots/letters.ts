/** What is in the mail of the pictures. */

const STYLE = {
  page: 'margin:0;background:#f4f5f7;font-family:Helvetica,Arial,sans-serif;color:#1f2933',
  card: 'max-width:560px;margin:0 auto;background:#ffffff;border-radius:8px;padding:32px',
  small: 'color:#616e7c;font-size:13px',
  cell: 'padding:8px 0;border-bottom:1px solid #e4e7eb',
  button:
    'display:inline-block;background:#2f6fed;color:#ffffff;padding:12px 20px;border-radius:6px;text-decoration:none',
}

function letter(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>${title}</title></head>` +
    `<body style="${STYLE.page}"><div style="padding:24px"><div style="${STYLE.card}">` +
    `<p style="font-weight:bold;color:#2f6fed;margin-top:0">Acme</p><h1 style="font-size:22px">${title}</h1>${body}` +
    `<p style="${STYLE.small}">Acme Ltd, 1 Example Street, London</p></div></div></body></html>`
  )
}

const ITEMS = [
  ['Tea, Assam, 250 g', '12.40'],
  ['Mug, blue', '9.00'],
  ['Delivery', '3.90'],
]

export const RECEIPT = {
  html: letter(
    'Thank you for your order',
    `<p>It leaves our store today and is with you by Thursday.</p><table style="width:100%;border-collapse:collapse">${ITEMS.map(
      ([name, price]) =>
        `<tr><td style="${STYLE.cell}">${name}</td><td style="${STYLE.cell};text-align:right">€ ${price}</td></tr>`,
    ).join(
      '',
    )}<tr><td style="${STYLE.cell}"><b>Total</b></td><td style="${STYLE.cell};text-align:right"><b>€ 25.30</b></td></tr></table>` +
      `<p><a style="${STYLE.button}" href="https://shop.acme.example/orders/4711">Follow your order</a></p>`,
  ),
  text:
    'Thank you for your order\n\nIt leaves our store today and is with you by Thursday.\n\n' +
    `${ITEMS.map(([name, price]) => `${name}: EUR ${price}`).join('\n')}\nTotal: EUR 25.30\n\n` +
    'Follow your order: https://shop.acme.example/orders/4711\n',
}

/** A page with nothing on it. */
export const INVOICE = {
  filename: 'invoice-2026-118.pdf',
  content_type: 'application/pdf',
  content: Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ).toString('base64'),
}
