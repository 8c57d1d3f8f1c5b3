export const sql = `
-- What people of the company can do, who have no shell on the machine.
ALTER TABLE alerts ADD COLUMN member_advice {text};
`
