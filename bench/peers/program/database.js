// The pool, transactions and prepared statements.
import pg from 'pg'

// Ids are bigints, below 2^53 here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function openDatabase(url, max = 16) {
  const pool = new pg.Pool({ connectionString: url, max, options: '-c search_path=peer' })
  pool.on('error', (error) => process.stderr.write(`${error}\n`))
  return {
    pool,
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work(client)
        await client.query('commit')
        client.release()
        return result
      } catch (error) {
        await client.query('rollback').then(
          () => client.release(),
          (broken) => client.release(broken),
        )
        throw error
      }
    },
  }
}

/** A statement that each connection prepares once, under its name. */
export const statement = (name, text) => (client, values) =>
  client.query({ name, text, values }).then(({ rows }) => rows)
