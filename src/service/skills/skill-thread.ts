import { serveJobs } from '../../base/serve-jobs.ts';
import { readSkill } from './read-skill.ts';

serveJobs(({ path, content }: { path: string; content: string }) => readSkill(path, content));
