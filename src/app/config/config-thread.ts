import { serveJobs } from '../../base/serve-jobs.ts';
import { parseYaml } from '../../base/yaml.ts';
import { repositoryConfig } from './schema.ts';

serveJobs((text: string) => parseYaml(text, repositoryConfig));
