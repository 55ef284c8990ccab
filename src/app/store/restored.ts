import type { Pool } from 'pg';

const LOOK_FOR_DAYS = 30;

/**
 * After a restore: looks on GitHub for every post that the database does not know to exist, because
 * it may have been written after the backup was made.
 */
export async function lookBeforePosting(pool: Pick<Pool, 'query'>, takenAt: Date): Promise<void> {
  const at = `'${takenAt.toISOString()}'::timestamptz`;
  const until = `'${new Date().toISOString()}'::timestamptz + interval '${LOOK_FOR_DAYS} days'`;
  await pool.query(
    `update app.posts set tried_at = coalesce(tried_at, created_at) where remote_id is null`,
  );
  await pool.query(
    `alter table app.posts alter column tried_at set default case when now() < ${until} then ${at} end`,
  );
}
