"""tsrec inside other programs, without a service. Each adapter is a module that needs its program installed:

- `tsrec.adapters.scrapy.TsrecPipeline`, an item pipeline of Scrapy;
- `tsrec.adapters.datatrove.TsrecExtractor`, a step of a datatrove pipeline.
"""
